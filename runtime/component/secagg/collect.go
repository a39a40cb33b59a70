package secagg

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/internal/byround"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Collect implements the role Aggregator: a list of all peers' messages, by peer.
type Collect struct {
	Max int // maximum bytes of a message; 0: 1 MiB

	messages byround.Values[[]message] // by peer
}

// Enter sets the execution to which the following calls belong.
func (c *Collect) Enter(r runtime.Round) { c.messages.Enter(r) }

// Leave forgets the messages of an execution.
func (c *Collect) Leave(r runtime.Round) { c.messages.Leave(r) }

// Contribute keeps the message of a peer.
func (c *Collect) Contribute(from wire.PeerID, x tensor.Dense[uint8], _ float32) error {
	if most := cmp.Or(c.Max, 1<<20); len(x.Data) > most {
		return fmt.Errorf("%d bytes, want at most %d", len(x.Data), most)
	}
	list := c.messages.Begin()
	at, there := slices.BinarySearchFunc(*list, message{peer: from}, compare)
	if there {
		return errors.New("it has said something before")
	}
	*list = slices.Insert(*list, at, message{from, slices.Clone(x.Data)})
	return nil
}

// Aggregate returns the list.
func (c *Collect) Aggregate() (tensor.Dense[uint8], error) {
	list := *c.messages.Begin()
	c.messages.Take()
	return vector(appendMessages(nil, list)), nil
}

// AppendBinary appends the messages so far.
func (c *Collect) AppendBinary(b []byte) ([]byte, error) {
	return c.messages.Append(b, func(b []byte, list *[]message) []byte { return appendMessages(b, *list) }), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (c *Collect) UnmarshalBinary(b []byte) error {
	b = slices.Clone(b) // messages are kept in this memory
	var read byround.Values[[]message]
	f := values.NewFields(b)
	err := read.Read(f, func(f *values.Fields, list *[]message) (err error) {
		*list, err = takeMessages(f, len(b))
		return err
	})
	if err := cmp.Or(err, f.End()); err != nil {
		return err
	}
	c.messages.Replace(read)
	return nil
}
