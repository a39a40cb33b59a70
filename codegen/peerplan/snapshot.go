package peerplan

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/partitioner"
)

// hash is [Plan.Schema]: that of what frames keep, where they wait, and which
// components have state.
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

// MaskBits is how many cut points of a module have a bit in its blocks' masks.
const MaskBits = 64

// mask returns a set of cut points as bits, but for those that have none.
func mask(cuts []*partitioner.Cut) uint64 {
	var m uint64
	for _, c := range cuts {
		m |= 1 << c.Index // a shift by 64 is 0 in Go
	}
	return m
}

// name returns the field of a value, "" if it is none.
func name(x *Var) string {
	if x == nil {
		return ""
	}
	return x.Field
}
