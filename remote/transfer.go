package remote

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/bbgen/bbgen/remote/protocol"
)

// To copies a tensor to another device: its server fetches it from this one's, without sending elements here.
// The ticket for that is valid only for that server, once, and for five minutes. To does not wait for the
// tensor or the copy; errors are returned when the copy is read.
func (t *Tensor) To(ctx context.Context, d *Device) (*Tensor, error) {
	if err := t.usable(t.device); err != nil {
		return nil, err
	}
	ticket := make([]byte, 32)
	rand.Read(ticket)
	offer := &protocol.Message{Kind: protocol.Offer, In: []uint64{t.id}, Blob: ticket, Address: d.target.id.String(), Number: 1}
	if _, err := t.device.ask(ctx, offer); err != nil {
		return nil, err
	}
	copied := d.make(&protocol.Message{Kind: protocol.Fetch, Blob: ticket, Address: t.device.target.dialed()}, 1, nil)[0]
	return copied, copied.err
}

// dialed returns the address at which others can dial the server.
func (t *target) dialed() string {
	if _, ok := t.at[0].Peer(); ok {
		return string(t.at[0])
	}
	return fmt.Sprintf("%s/p2p/%v", t.at[0], t.id)
}
