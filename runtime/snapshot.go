package runtime

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/checkpoint"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/internal/snapshot"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A snapshot consists of, in this order: magic, schema, fingerprint, the node's own state, components, peers,
// finished executions, payloads, outboxes, frames, timers, waiting commands, stores, results that the host has
// not taken; and the CRC-32C of all that.
//
// Times are written as remaining durations. Ended executions, unread messages and repeatable measurements are
// left out.
//
// Large values are written as names in the host's [values.Spool], if it has one.
//
// Version 5 has no losses.
const (
	snapshotMagic  = "bbgen snapshot 6\n"
	snapshotMagic5 = "bbgen snapshot 5\n"
)

var (
	// ErrBusy is returned by Snapshot between blocks of a cycle or while a command runs.
	ErrBusy = errors.New("runtime: the node is busy")

	// ErrSnapshot is wrapped by errors about unusable snapshots.
	ErrSnapshot = snapshot.ErrUnusable
)

// Snapshot appends all the state that the peer needs to continue after a restart. A host takes a snapshot when
// Poll returns Checkpoint.
//
// It holds the events of executions (Emitted, Finished, Failed, Missing, Published) that Poll has not returned
// yet, and a restored Node reports them again. So a host that records events writes them in their order, outside
// of the loop if it likes, and makes those that were reported before this call durable before it replaces the
// stored snapshot: then each is written at least once, and always in the same form.
func (n *Node) Snapshot(b []byte) ([]byte, error) {
	if !n.atBoundary() {
		return b, ErrBusy
	}
	start := len(b)
	n.spool.Err = nil
	w := snapshotWriter{Writer: snapshot.NewWriter(append(b, snapshotMagic...), &n.spool), n: n, frames: map[*Frame]int{}, payloads: map[*outbox.Payload]int{}}
	w.node()
	w.peers()
	w.histories()
	w.outboxes()
	w.liveFrames()
	w.timers()
	w.waiting()
	w.stores()
	w.awaits()
	w.communicators()
	w.results()
	if w.Err = cmp.Or(w.Err, n.spool.Err); w.Err != nil {
		return b[:start], w.Err
	}
	b = binary.LittleEndian.AppendUint32(w.B, wire.CRC(w.B[start:]))
	for _, p := range n.roster {
		p.inbox.Snapshot()
	}
	n.checkpoint.Taken()
	n.pumpAll()
	return b, nil
}

// Restore returns a Node that continues where a snapshot was taken. The snapshot must be intact, and of the
// same peer, program and layout. Peers that the configuration names get its settings; the others keep theirs.
// The incarnation must be larger than that of the snapshot.
//
// Restore reads the values that frames keep in memory from the host's [values.Spool], so it may take as long as the disk.
//
// NB: the components of the partition are overwritten even if an error follows. A host that tries again then, with an older
// snapshot or with none, makes new ones.
func Restore(c Config, p *Partition, saved []byte) (*Node, error) {
	body, ok := bytes.CutPrefix(saved, []byte(snapshotMagic))
	hasLosses := ok
	if !ok {
		body, ok = bytes.CutPrefix(saved, []byte(snapshotMagic5))
	}
	if !ok || len(body) < 4 {
		return nil, fmt.Errorf("%w: it does not begin like one", ErrSnapshot)
	}
	sum := binary.LittleEndian.Uint32(body[len(body)-4:])
	if got := wire.CRC(saved[:len(saved)-4]); got != sum {
		return nil, fmt.Errorf("%w: checksum %08x, want %08x", ErrSnapshot, got, sum)
	}
	n, err := New(c, p)
	if err != nil {
		return nil, err
	}
	r := snapshotReader{Reader: snapshot.NewReader(body[:len(body)-4], &n.spool), n: n, hasLosses: hasLosses}
	r.node()
	r.peers()
	r.histories()
	r.outboxes()
	r.liveFrames()
	r.timers()
	r.waiting()
	r.stores()
	r.awaits()
	r.communicators()
	r.results()
	if r.Err() == nil && r.Left() > 0 {
		r.Fail("%d bytes too many", r.Left())
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	n.restoreBoots()
	for _, p := range n.roster {
		n.lease(p)
	}
	n.checkpoint = checkpoint.Restored()
	n.pumpAll()
	return n, nil
}

// Persisted reports that the last snapshot is durable: messages and acknowledgements that depend on it may be
// sent.
func (n *Node) Persisted(now int64) {
	n.advance(now)
	if !n.checkpoint.Persisted() {
		return
	}
	for _, p := range n.roster {
		p.inbox.Persisted()
		n.schedule(p)
	}
	n.reportResults()
}
