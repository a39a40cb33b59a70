package model

import "github.com/bbgen/bbgen/runtime/tensor"

// Program is a compiled model as commands see it that know it only by its
// tensors.
type Program struct {
	Name    string
	Source  string // the file that it was generated from
	Inputs  []Port
	Outputs []Port
	Arena   int // bytes that a context takes, beside what depends on sizes known only at run time
	Weights int // bytes
	New     func() (Session, error)

	// MaxPixels sets how many pixels images may have that runs decode, 0 for the
	// default; nil for a model that decodes none.
	MaxPixels func(n int)
}

// Port is an input or output of a [Program].
type Port struct {
	Name string
	Type string       // as in the model: float32[batch,784]
	Elem tensor.DType // of a tensor's elements or a map's values; Undefined if it is neither
	Dims []string     // sizes, or the names of those that vary
	Key  tensor.DType // of a map's keys; Undefined if it is no map
}

// Session runs a program on one set of inputs after the other. It is not safe
// for concurrent use; several sessions of a program are.
type Session interface {
	SetInput(i int, v tensor.Value) error
	Run() error
	Output(i int) tensor.Value // borrowed until the next Run
}
