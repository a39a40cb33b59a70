package codegen

import "github.com/dave/jennifer/jen"

// emitGraph emits the context of a run and the run itself.
func (e *emitter) emitGraph(f *jen.File) {
	e.emitContext(f)
	e.emitNewContext(f)
	e.emitRun(f)
	e.emitBlocks(f)
	e.emitChains(f)
}

// emitRun emits the graph: one kernel call after the other.
func (e *emitter) emitRun(f *jen.File) {
	f.Comment("run computes the graph, node by node.")
	e.emitRunMethod(f, "run")
}
