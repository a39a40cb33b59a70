// Package codegen prints a plan as Go files. It is the only package that knows
// what generated code looks like, and the only one that imports jennifer.
//
// [Generate] prints a model, [GenerateTrainer] a training step, [GeneratePartition] the peers of a class.
// Functions called emitX return code and show in their comments the Go that they write. Files by what they
// print:
//
//	the run of a plan, and the memory of a run              emitter, emit_context, emit_run, emit_graph
//	its calls, their operands, and errors                   emit_kernel, emit_chain, emit_expr, emit_check
//	what else the package of a model has                    emit_model, emit_tensors, emit_weights, emit_metadata
//	the run that is profiled, and lines of the run by node  emit_profile, emit_marks, sites
//	a training step                                         trainer, emit_trainer, emit_state, emit_batch, emit_halves, emit_session
//	a model or a trainer as a component of a peer           slot, emit_slot
//	tables of a peer's program                              partition, emit_partition, emit_module, emit_consts
//	the executions of a module                              frame, emit_frame, emit_block, emit_steps, emit_task, emit_snapshot
//	calls of components and of the engine                   emit_call, emit_service, emit_collective, emit_backend
//	identifiers                                             naming, names*
//	files of formatted Go                                   files, render, text
package codegen

// The packages that generated code imports.
const (
	pkgRuntime = "github.com/bbgen/bbgen/runtime"
	pkgCPU     = "github.com/bbgen/bbgen/runtime/cpu"
	pkgTensor  = "github.com/bbgen/bbgen/runtime/tensor"
)

// Options say how the code is to look.
type Options struct {
	Package string // the package's name
	Source  string // the base name of the file it comes from
	Sidecar bool   // weights stay in a file beside the binary
	Golden  bool   // testdata holds inputs and outputs for the package's test
}

// File is one generated file; Path is relative to the package's folder.
type File struct {
	Path string
	Data []byte
}
