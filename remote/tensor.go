package remote

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Tensor is a tensor on the server, which may not be computed yet. It never changes. Release it when it is
// not needed any more.
type Tensor struct {
	device   *Device
	stream   *Stream
	id       uint64
	err      error // why it was not made
	released atomic.Bool
}

// usable returns an error if a tensor cannot be used on a device.
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

// Release frees the memory on the server when earlier operations have ended. A second call has no effect.
func (t *Tensor) Release() { Release(t) }

// Release releases several tensors at once, which may be of different devices, or nil.
func Release(list ...*Tensor) {
	by := map[*Device][]uint64{}
	for _, t := range list {
		if t != nil && t.err == nil && !t.released.Swap(true) {
			by[t.device] = append(by[t.device], t.id)
		}
	}
	for d, ids := range by {
		d.post(&protocol.Message{Kind: protocol.Release, In: ids}) // if it fails, nothing is left to release
	}
}
