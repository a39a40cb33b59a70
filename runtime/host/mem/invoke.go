package mem

import (
	"errors"

	"github.com/bbgen/bbgen/runtime/tensor"
)

var errAway = errors.New("mem: the peer is not there, or hangs")

// Invoke has the host of a peer begin an execution while the network runs.
func (w *Network) Invoke(i int, module string, inputs ...tensor.Value) error {
	h := w.hosts[i]
	if h.node == nil || h.hung > w.now {
		return errAway
	}
	_, err := h.node.Invoke(h.clock(), module, inputs...)
	h.pump()
	return err
}
