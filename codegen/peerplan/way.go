package peerplan

import "github.com/bbgen/bbgen/partitioner"

// Way is how a value that is sent gets into the outbox.
type Way uint8

// The ways of sending a value.
const (
	Copied Way = iota // as bytes, which are copied
	Shared            // the outbox has the memory, too: nobody writes to it again
	Lent              // as Shared where the memory, which is a component's, is counted, else as a copy
	Apart             // as a copy, which opens an execution of its own at each peer
)

var wayNames = [...]string{Copied: "as a copy", Shared: "shared", Lent: "lent", Apart: "apart"}

// String returns the way as plans print it.
func (w Way) String() string { return wayNames[w] }

// Way returns how a step sends its value.
func (f *Frame) Way(s *partitioner.Step) Way {
	v := s.Node.In[0]
	switch {
	case s.Node.Int("apart") != 0:
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
