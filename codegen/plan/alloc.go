package plan

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// allocate assigns offsets and buffers to variables. No life but those until the end of the run ends after step last.
func (p *Plan) allocate(last int) error {
	var fixed []*Var
	buffers := map[tensor.DType]*space{}
	for _, x := range p.Vars {
		switch e := x.Type.Elem; x.Place {
		case Arena:
			fixed = append(fixed, x)
		case Slot: // the first buffer of the element type that is free while x is live
			if buffers[e] == nil {
				buffers[e] = newSpace(last)
			}
			x.Off = buffers[e].place(x, 1)
			p.Slots[e] = max(p.Slots[e], x.Off+1)
		}
	}
	if err := p.arena(fixed, last); err != nil {
		return err
	}
	p.placeWeights()
	return nil
}

// placeWeights assigns the weights' offsets in their file.
func (p *Plan) placeWeights() {
	off := 0
	var runs []byte // memory that is used again
	first := map[*tensor.Tensor]*Weight{}
	for _, w := range p.Weights {
		w.Off = -1
		if w.Data.DType == tensor.String {
			continue
		}
		if f := first[w.Data]; f != nil {
			w.Off, w.Runs, w.Again = f.Off, f.Runs, true
			continue
		}
		first[w.Data] = w
		w.Off = off
		if n := len(w.Data.Bytes()); n > 1<<16 {
			var ok bool
			if runs, ok = tensor.AppendRuns(runs[:0], w.Data.Bytes(), n/16-1); ok {
				w.Runs = slices.Clone(runs)
			}
		}
		off += (len(w.File()) + align - 1) / align * align
	}
}
