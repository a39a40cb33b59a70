package secagg

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Collect implements the role Aggregator: a list of all peers' messages, by peer.
type Collect struct {
	Max int // maximum bytes of a message; 0: 1 MiB

	in     runtime.Round
	rounds []*answers
}

// answers is the messages of one execution.
type answers struct {
	of   runtime.Round
	list []message
}

// Enter sets the execution to which the following calls belong.
func (c *Collect) Enter(r runtime.Round) { c.in = r }

// Leave forgets the messages of an execution.
func (c *Collect) Leave(r runtime.Round) {
	c.rounds = slices.DeleteFunc(c.rounds, func(s *answers) bool { return s.of == r })
}

// Contribute keeps the message of a peer.
func (c *Collect) Contribute(from wire.PeerID, x tensor.Dense[uint8], _ float32) error {
	if most := cmp.Or(c.Max, 1<<20); len(x.Data) > most {
		return fmt.Errorf("%d bytes, want at most %d", len(x.Data), most)
	}
	i := slices.IndexFunc(c.rounds, func(s *answers) bool { return s.of == c.in })
	if i < 0 {
		i = len(c.rounds)
		c.rounds = append(c.rounds, &answers{of: c.in})
	}
	s := c.rounds[i]
	at, there := slices.BinarySearchFunc(s.list, message{peer: from}, compare)
	if there {
		return errors.New("it has said something before")
	}
	s.list = slices.Insert(s.list, at, message{from, slices.Clone(x.Data)})
	return nil
}

// Aggregate returns the list.
func (c *Collect) Aggregate() (tensor.Dense[uint8], error) {
	defer c.Leave(c.in)
	for _, s := range c.rounds {
		if s.of == c.in {
			return vector(appendMessages(nil, s.list)), nil
		}
	}
	return vector(appendMessages(nil, nil)), nil
}

// AppendBinary appends the messages so far.
func (c *Collect) AppendBinary(b []byte) ([]byte, error) {
	b = runtime.AppendScalar(b, int64(len(c.rounds)))
	for _, s := range c.rounds {
		b, _ = s.of.AppendBinary(b)
		b = appendMessages(b, s.list)
	}
	return b, nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (c *Collect) UnmarshalBinary(b []byte) error {
	b = slices.Clone(b) // messages are kept in this memory
	var n int64
	var read []*answers
	f := runtime.NewFields(b)
	runtime.ReadScalar(f, &n)
	for range min(n, int64(len(b))) {
		s := &answers{}
		runtime.ReadRound(f, &s.of)
		list, err := takeMessages(f, len(b))
		if err != nil {
			return err
		}
		s.list = list
		read = append(read, s)
	}
	if err := f.End(); err != nil {
		return err
	}
	c.rounds = read
	return nil
}
