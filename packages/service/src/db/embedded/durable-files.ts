/** PGlite's files on disk, with fsync, for their owner only. Without it a power loss could undo acknowledged commits. @module */
import { closeSync, fdatasyncSync } from 'node:fs'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type Init = Awaited<ReturnType<NodeFS['init']>>
type Options = Init['emscriptenOpts']

export class DurableFiles extends NodeFS {
  #syncs = 0
  #module: EmscriptenModule | undefined

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
    const { setattr } = NODEFS.node_ops
    // PostgreSQL makes some files readable for others.
    NODEFS.node_ops.setattr = (node, { mode, ...other }) =>
      setattr(node, mode === undefined ? other : { ...other, mode: mode & ~0o077 })
    // Directories have descriptors too.
    NODEFS.stream_ops.fsync = ({ nfd }) => {
      // Return a failure as an error number, so that PostgreSQL stops and recovers from its log. It would
      // ignore an exception, and the next sync would succeed although the kernel dropped the data.
      NODEFS.tryFSOperation(() => fdatasyncSync(nfd))
      this.#syncs++
      return 0
    }
  }
}

/** The used part of Emscripten's module, which is internal. So the version of PGlite is pinned. */
interface EmscriptenModule {
  readonly FS: { readonly streams: readonly ({ readonly nfd?: number } | null)[] }
  readonly NODEFS: {
    readonly node_ops: {
      setattr: (node: unknown, attributes: { readonly mode?: number }) => void
    }
    readonly stream_ops: { fsync?: (stream: { readonly nfd: number }) => number }
    /** Converts system errors to error numbers. */
    tryFSOperation(work: () => void): void
  }
}
