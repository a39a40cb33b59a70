package plan

import "github.com/bbgen/bbgen/runtime/tensor"

// Weight is a constant that kernels read.
type Weight struct {
	Name string
	Data *tensor.Tensor
	Off  int // byte offset in the weights file; -1 for strings

	// Again is whether an earlier weight has the same data, which the file has once.
	Again bool

	// Maker is the function of package cpu that converts the data, with the parameters Sizes, to the form
	// that kernels read; "" for no conversion.
	Maker string
	Sizes []int

	// Runs is the data as encoded by [tensor.AppendRuns], or nil if that is not much shorter.
	Runs []byte
}

// File returns the bytes of the weight in the weights file.
func (w *Weight) File() []byte {
	if w.Runs != nil {
		return w.Runs
	}
	return w.Data.Bytes()
}

// WeightBytes returns the size of the weights file.
func (p *Plan) WeightBytes() int {
	n := 0
	for _, w := range p.Weights {
		if w.Off >= 0 {
			n = max(n, w.Off+len(w.File()))
		}
	}
	return n
}

// WeightsFile returns the content of the weights file.
func (p *Plan) WeightsFile() *Content {
	c := &Content{}
	for _, w := range p.Weights {
		if w.Off >= 0 && !w.Again {
			c.Put(w.Off, w.File())
		}
	}
	return c
}
