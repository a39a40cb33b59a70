package plan

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// allocate assigns offsets and buffers to variables.
func (p *Plan) allocate() error {
	var fixed []*Var
	for _, x := range p.Vars {
		switch x.Place {
		case Arena:
			fixed = append(fixed, x)
		case Slot:
			x.Off = p.slot(x)
		}
	}
	if err := p.arena(fixed); err != nil {
		return err
	}
	p.placeWeights()
	return nil
}

// slot returns the first buffer of x's element type that is free while x is live.
func (p *Plan) slot(x *Var) int {
	taken := map[int]bool{}
	for _, y := range p.Vars {
		if y == x {
			break
		}
		if y.Place == Slot && y.Type.Elem == x.Type.Elem && x.meets(y) {
			taken[y.Off] = true
		}
	}
	i := 0
	for taken[i] {
		i++
	}
	p.Slots[x.Type.Elem] = max(p.Slots[x.Type.Elem], i+1)
	return i
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
