package model

import "github.com/bbgen/bbgen/runtime/tensor"

// A Program is a compiled model that is known only by its tensors, as commands see it.
type Program struct {
	Name    string
	Source  string // the file that it was generated from
	Inputs  []Port
	Outputs []Port
	Arena   int // bytes of a context, without values whose sizes are known only at run time
	Weights int // bytes
	New     func() (Session, error)

	// MaxPixels sets the maximum number of pixels of images that runs decode, 0 for the default. It is nil for
	// a model that decodes no images.
	MaxPixels func(n int)
}

// A Port is an input or output of a [Program].
type Port struct {
	Name string
	Type string       // as in the model: float32[batch,784]
	Elem tensor.DType // of a tensor's elements or a map's values; Undefined for other types
	Dims []string     // sizes, or the names of symbolic dimensions
	Key  tensor.DType // of a map's keys; Undefined for other types
}

// A Session runs a program on any number of inputs, one after the other. It is not safe for concurrent use, but
// a program can have several sessions.
type Session interface {
	SetInput(i int, v tensor.Value) error
	Run() error
	Output(i int) tensor.Value // borrowed until the next Run
}
