package mem

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
)

// verify checks that a node that goes on from a snapshot is what the node was that has
// written it: it writes the same, but for its incarnation. One whose commands run at once
// writes none.
func (h *host) verify(s saved) error {
	h.openSpool(s.values)
	if h.spool != nil {
		h.spool.frozen = true // what was in memory stays there
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

// cutIncarnation is a snapshot before and behind what names incarnations, without the sum:
// the one that has written it becomes one of those before when it is restored.
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
