/**
 * PGlite's files on disk, with fsync, which PGlite's own files lack. Without it an acknowledged commit
 * survives a killed process, but not a power cut.
 *
 * @module
 */
import { closeSync, fdatasyncSync } from 'node:fs'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type Init = Awaited<ReturnType<NodeFS['init']>>
type Options = Init['emscriptenOpts']

/** A directory whose syncs reach the disk. */
export class DurableFiles extends NodeFS {
  #syncs = 0
  #module: EmscriptenModule | undefined

  /** Number of syncs so far. */
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

  /** Closes the files that an engine left open when it stopped. */
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
      // PostgreSQL must get a failure as an error number, to stop immediately and recover from its log. It
      // would ignore an exception, and the next sync would succeed: the kernel drops what it could not write.
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
