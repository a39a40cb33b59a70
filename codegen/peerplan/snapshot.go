package peerplan

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/partitioner"
)

// hash computes [Plan.Schema]: a hash of the fields of frames, of their cut points, and of the components
// with state.
func (p *Plan) hash() uint64 {
	h := sha256.New()
	fmt.Fprintln(h, p.Part.Class, p.Queues)
	for _, s := range p.Kept() {
		fmt.Fprintln(h, "slot", s.Name, s.Package, s.Type)
	}
	for _, f := range p.Frames {
		fmt.Fprintln(h, "module", f.Module.Name)
		for _, c := range f.Module.Cuts {
			fmt.Fprintln(h, "cut", c.Kind, c.Name)
		}
		for _, b := range f.Module.Blocks {
			fmt.Fprintln(h, "block", b.Name, mask(b.Wait), mask(b.Starts), b.Any)
			for _, c := range slices.Concat(b.Wait, b.Starts) {
				if c.Index >= MaskBits {
					fmt.Fprintln(h, "and", c.Index)
				}
			}
		}
		for _, v := range f.Module.Fields {
			fmt.Fprintln(h, "field", name(f.at[v]), v.Type)
		}
	}
	for _, s := range p.Stores {
		fmt.Fprintln(h, "store", s.Type, s.Name)
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// MaskBits is the number of cut points of a module that have a bit in the masks of its blocks.
const MaskBits = 64

// mask returns a set of cut points as bits, without those that have no bit.
func mask(cuts []*partitioner.Cut) uint64 {
	var m uint64
	for _, c := range cuts {
		m |= 1 << c.Index // a shift by 64 is 0 in Go
	}
	return m
}

// name returns the field of a value, or "".
func name(x *Var) string {
	if x == nil {
		return ""
	}
	return x.Field
}
