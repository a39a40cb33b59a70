// Package codegen prints a plan as Go files. It is the only package that knows
// what generated code looks like, and the only one that imports jennifer.
//
// [Generate] prints a model, [GenerateTrainer] a training step, [GeneratePartition] the peers of a class.
// Functions called emitX return code and show in their comments the Go that they write. Files by what they
// print:
//
//	the run of a plan, and the memory of a run              emitter, emit_context, emit_run, emit_graph
//	its calls, their operands, and errors                   emit_kernel, emit_chain, emit_expr, emit_dim, emit_number, emit_check
//	what else the package of a model has                    emit_model, emit_tensors, emit_weights, emit_metadata
//	the run that is profiled, and lines of the run by node  emit_profile, emit_marks, sites
//	a training step                                         trainer, emit_trainer, emit_state, emit_batch, emit_halves, emit_session
//	a model or a trainer as a component of a peer           slot, emit_slot
//	tables of a peer's program                              partition, emit_partition, emit_module, emit_consts
//	the executions of a module                              frame, emit_frame, emit_block, emit_steps, emit_task, emit_snapshot
//	calls of components and of the engine                   emit_call, emit_service, emit_collective, emit_backend
//	identifiers                                             naming, names*
//	files of formatted Go                                   files, imports, render, text, width
package codegen

import (
	"io"
	"slices"
)

// The packages that generated code imports.
const (
	pkgRuntime = "github.com/bbgen/bbgen/runtime"
	pkgCPU     = "github.com/bbgen/bbgen/runtime/cpu"
	pkgFault   = "github.com/bbgen/bbgen/runtime/fault"
	pkgModel   = "github.com/bbgen/bbgen/runtime/model"
	pkgTensor  = "github.com/bbgen/bbgen/runtime/tensor"
	pkgValues  = "github.com/bbgen/bbgen/runtime/values"
)

// ModelImports returns the packages of the runtime that the code of a model may import.
func ModelImports() []string {
	return []string{pkgRuntime, pkgCPU, pkgFault, pkgModel, pkgTensor, pkgValues}
}

// Options say how the code is to look.
type Options struct {
	Package string // the package's name
	Source  string // the base name of the file it comes from
	Sidecar bool   // weights stay in a file beside the binary
	Golden  bool   // testdata holds inputs and outputs for the package's test

	// PackageNames has the names of the author's packages by import path. Those without have the last element of theirs.
	PackageNames map[string]string
}

// File is one generated file; Path is relative to the package's folder. Its content may be in several pieces of memory,
// such as those of a model's weights.
type File struct {
	Path   string
	pieces [][]byte
}

// NewFile returns a file whose content is that of the pieces, which it keeps.
func NewFile(path string, pieces ...[]byte) File { return File{path, pieces} }

// Len returns the size of the file in bytes.
func (f *File) Len() int {
	n := 0
	for _, b := range f.pieces {
		n += len(b)
	}
	return n
}

// Pieces returns the content in the pieces in which it is.
func (f *File) Pieces() [][]byte { return f.pieces }

// Bytes returns the content in one piece: it copies several.
func (f *File) Bytes() []byte {
	if len(f.pieces) == 1 {
		return f.pieces[0]
	}
	return slices.Concat(f.pieces...)
}

// WriteTo writes the content, without a copy.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	var n int64
	for _, b := range f.pieces {
		k, err := w.Write(b)
		if n += int64(k); err != nil {
			return n, err
		}
	}
	return n, nil
}
