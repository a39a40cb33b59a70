package peerplan

import "github.com/bbgen/bbgen/partitioner"

// Way is the way in which a sent value gets into the outbox.
type Way uint8

// The ways of sending a value.
const (
	Copied Way = iota // encoded bytes are copied
	Shared            // the outbox shares the memory, which must not be written again
	Lent              // like Shared if the component's memory is reference counted, otherwise a copy
	Apart             // a copy, which starts a new execution at each peer
)

var wayNames = [...]string{Copied: "as a copy", Shared: "shared", Lent: "lent", Apart: "apart"}

// String returns the way as plans print it.
func (w Way) String() string { return wayNames[w] }

// Way returns the way in which a step sends its value.
func (f *Frame) Way(s *partitioner.Step) Way {
	v := s.Node.In[0]
	switch {
	case s.Apart != nil:
		return Apart
	case !MayBeLarge(v.Type):
		return Copied
	case f.Owns(v):
		return Shared
	case f.Borrows(v):
		return Lent
	}
	return Copied
}
