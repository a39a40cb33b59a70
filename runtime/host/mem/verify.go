package mem

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
)

// verify checks that a node restored from a snapshot has the same state as the node that has written it: it
// writes the same snapshot, except for the incarnation. A node whose commands run at once writes none.
func (h *host) verify(s saved) error {
	h.openSpool(s.values)
	if h.spool != nil {
		h.spool.frozen = true // values in memory stay there
	}
	n, err := runtime.Restore(h.config, h.partition(), s.snapshot)
	if err != nil {
		return err
	}
	again, err := n.Snapshot(nil)
	switch {
	case errors.Is(err, runtime.ErrBusy):
		return nil
	case err != nil:
		return err
	}
	head, body := cutIncarnation(s.snapshot)
	headAgain, bodyAgain := cutIncarnation(again)
	if !bytes.Equal(head, headAgain) || !bytes.Equal(body, bodyAgain) {
		return fmt.Errorf("a snapshot of %d bytes is another one of %d when it was restored and is written again", len(s.snapshot), len(again))
	}
	return nil
}

// cutIncarnation returns a snapshot without its incarnations and checksum: after a restore, the writing
// incarnation is among the earlier ones.
func cutIncarnation(b []byte) (head, body []byte) {
	at := bytes.IndexByte(b, '\n') + 1
	next := func() uint64 {
		v, n := binary.Uvarint(b[at:])
		at += n
		return v
	}
	next() // the schema
	at += int(next()) + len(runtime.PeerConfig{}.ID.Key())
	head = b[:at:at]
	next() // the incarnation
	from := at
	next() // the number of its last execution, and tags
	next()
	head = append(head, b[from:at]...)
	for range 2 * next() {
		next()
	}
	return head, b[at : len(b)-4]
}
