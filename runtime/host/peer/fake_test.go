package peer

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

type nothingBody struct{ runtime.Frame }

func (*nothingBody) Run(*runtime.Engine, int) error        { return nil }
func (*nothingBody) Fill(int, *wire.SlotFill) error        { return nil }
func (*nothingBody) Input(int, tensor.Value) error         { return nil }
func (*nothingBody) Task(int) runtime.Task                 { return nil }
func (*nothingBody) Clear()                                {}
func (*nothingBody) AppendBinary(b []byte) ([]byte, error) { return b, nil }
func (*nothingBody) UnmarshalBinary([]byte) error          { return nil }

// emptyPartition has one module that does nothing.
func emptyPartition(runtime.Env) (*runtime.Partition, error) {
	return &runtime.Partition{Class: "x", Modules: []runtime.Module{{Name: "x", New: func() runtime.Body { return &nothingBody{} }, Blocks: make([]runtime.Block, 1)}}}, nil
}

func noTransport(TransportConfig) (Transport, error) { return nil, errors.New("there is no network") }

// quietTransport is a network without other peers.
type quietTransport struct {
	over chan struct{}
	once sync.Once
}

func newQuietTransport(TransportConfig) (Transport, error) {
	return &quietTransport{over: make(chan struct{})}, nil
}

func (q *quietTransport) Dial(context.Context, wire.PeerID, []wire.Address, Protocol) (Stream, error) {
	return nil, ErrNoAddress
}

func (q *quietTransport) Accept() (Stream, error) {
	<-q.over
	return nil, ErrClosed
}

func (q *quietTransport) Addresses() []wire.Address { return nil }

func (q *quietTransport) Close() error {
	q.once.Do(func() { close(q.over) })
	return nil
}

// newTestHost makes a host without other peers, of a program that does nothing.
func newTestHost(t *testing.T, o Options, stderr io.Writer) (*host, error) {
	t.Helper()
	o.Rank = -1
	p := Program{Name: "x", Class: "x", Partition: emptyPartition, Transport: newQuietTransport}
	h, err := newHost(&p, &o, io.Discard, stderr)
	if err == nil {
		t.Cleanup(h.giveUp)
	}
	return h, err
}

var wireLimits = wire.Default()

func testID(i byte) wire.PeerID {
	key := [32]byte{0: i, 31: 1}
	id, _ := wire.PeerIDOf(key[:])
	return id
}
