package peer

import (
	"errors"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

type nothingBody struct{ runtime.Frame }

func (*nothingBody) Run(*runtime.Node, int) error          { return nil }
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
