/**
 * PGlite's files on disk, with the one thing that its own lack: fsync. Without it an acknowledged
 * commit survives a killed process, but not a power cut.
 *
 * @module
 */
import { closeSync, fdatasyncSync } from 'node:fs'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type Init = Awaited<ReturnType<NodeFS['init']>>
type Options = Init['emscriptenOpts']

/** A directory whose every sync reaches the disk. */
export class DurableFiles extends NodeFS {
  #syncs = 0
  #module: EmscriptenModule | undefined

  /** How many times the disk was told to keep what it was given. */
  get syncs(): number {
    return this.#syncs
  }

  override async init(pg: PGlite, options: Options): Promise<Init> {
    const { emscriptenOpts } = await super.init(pg, options)
    const preRun = [emscriptenOpts.preRun ?? []].flat()
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [...preRun, (module: unknown) => this.#addSync(module as EmscriptenModule)],
      },
    }
  }

  /** Closes what an engine that has stopped by itself left open. */
  release(): void {
    for (const stream of this.#module?.FS.streams ?? []) {
      if (stream?.nfd !== undefined) closeSync(stream.nfd)
    }
    this.#module = undefined
  }

  #addSync(module: EmscriptenModule): void {
    this.#module = module
    const { NODEFS } = module
    // Directories have a descriptor here as files do.
    NODEFS.stream_ops.fsync = ({ nfd }) => {
      // PostgreSQL must hear of a failure as an error number, to stop at once and start again on what
      // its log holds. An exception would be taken for nothing, and the next sync would find nothing to
      // write: the kernel drops what it could not.
      NODEFS.tryFSOperation(() => fdatasyncSync(nfd))
      this.#syncs++
      return 0
    }
  }
}

/** The part of Emscripten's module that is reached into: PGlite's version is pinned for this. */
interface EmscriptenModule {
  readonly FS: { readonly streams: readonly ({ readonly nfd?: number } | null)[] }
  readonly NODEFS: {
    readonly stream_ops: { fsync?: (stream: { readonly nfd: number }) => number }
    /** Turns the system's errors into error numbers. */
    tryFSOperation(work: () => void): void
  }
}
