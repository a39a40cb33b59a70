package remote

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Tensor is a tensor on the server, or one that will be there. It never changes. Whoever
// does not need it any more releases it.
type Tensor struct {
	device   *Device
	stream   *Stream
	id       uint64
	err      error // why it was never made
	released atomic.Bool
}

// usable says why a tensor cannot be used on a device.
func (t *Tensor) usable(d *Device) error {
	switch {
	case t.err != nil:
		return t.err
	case t.device != d:
		return fmt.Errorf("%w: it is on %v: see Tensor.To", ErrTensor, t.device.target.id)
	case t.released.Load():
		return fmt.Errorf("%w: it was released", ErrTensor)
	}
	return nil
}

// Read copies the tensor from the server.
func (t *Tensor) Read(ctx context.Context) (*tensor.Tensor, error) {
	if t.err != nil {
		return nil, t.err
	}
	list, err := t.stream.Read(ctx, t)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// Release gives the memory on the server back, as soon as what was asked for before is
// done. The second call does nothing.
func (t *Tensor) Release() { Release(t) }

// Release releases several tensors at once. Those of several devices may be among them,
// and nil.
func Release(list ...*Tensor) {
	by := map[*Device][]uint64{}
	for _, t := range list {
		if t != nil && t.err == nil && !t.released.Swap(true) {
			by[t.device] = append(by[t.device], t.id)
		}
	}
	for d, ids := range by {
		d.post(&protocol.Message{Kind: protocol.Release, In: ids}) // nothing is left to release if it fails
	}
}
