package runtime

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A payload that is sent as bulk is not in its envelope, see package outbox: the host fetches it when the Node has
// checked that it may come.

// Bulk returns the payload that a peer fetches, or nil if the peer has it already. It belongs to the Node: a
// host that reads it after the next call must retain it.
func (n *Node) Bulk(to wire.PeerID, id uint64) wire.Blob {
	p := n.peer(to)
	if p == nil || id == 0 {
		return nil
	}
	return p.outbox.Bulk(id)
}

// awaited is an envelope that waits for its bulk fills.
type awaited struct {
	seq     uint64
	size    int64 // its memory
	bytes   []byte
	bulks   []wire.Bulk // of the fills; zero for none, or for a refused one
	edges   []*Edge     // of the bulk fills; nil for others, or for a refused one
	data    []wire.Blob // the received payloads
	loads   []bool      // the payloads that the host is loading from files
	refused []bool      // fills that were refused when the envelope came
	missing int         // fills whose payloads are being fetched, or loaded
	loading bool        // all payloads were fetched
	spooled int64       // bytes of the payloads being fetched
	held    int64       // bytes of the payloads that are, or will be, loaded into memory
}

func hasBulk(e *wire.Envelope) bool {
	for i := range e.Fills {
		if e.Fills[i].Bulk.ID != 0 {
			return true
		}
	}
	return false
}

// await keeps an envelope until its bulk fills are complete. Fills that may not come are refused now, before
// any cost.
func (n *Node) await(p *peer, e *wire.Envelope, b []byte) int {
	come, ok := p.inbox.Has(e.Seq)
	if come || !ok || p.awaits(e.Seq) {
		if come {
			p.inbox.Repeat()
		}
		n.schedule(p)
		n.stats.Duplicates++
		return 0
	}
	if !n.ledger.Admits(&p.uses, ledger.Waiting, awaitedSize(e, b)) {
		n.overflow("envelopes that wait for bulk")
		n.hangUp(p) // the peer sends it again
		return 0
	}
	r := p.rejections(e)
	a, good := n.awaitedOf(p, e, b, &r)
	if a.spooled > 0 && !n.ledger.Admits(&p.uses, ledger.Spooled, a.spooled) {
		n.overflow("spooled")
		n.hangUp(p) // the peer sends it again
		return 0
	}
	n.fetch(p, a)
	n.reportRejected(p, e, &r)
	if !good {
		n.misbehaved(p)
	}
	if a.missing == 0 {
		return n.admit(p, e, a.refused)
	}
	n.reserve(p, a)
	p.awaited = append(p.awaited, a)
	return len(e.Fills)
}

// awaitedOf returns what is kept of an envelope, with the bulk fills that may come. It rejects the others, and
// reports whether a peer that keeps to the protocol may have sent them.
func (n *Node) awaitedOf(p *peer, e *wire.Envelope, b []byte, r *rejections) (a *awaited, good bool) {
	fills := len(e.Fills)
	a = &awaited{
		seq: e.Seq, size: awaitedSize(e, b), bytes: slices.Clone(b), bulks: make([]wire.Bulk, fills), edges: make([]*Edge, fills),
		data: make([]wire.Blob, fills), loads: make([]bool, fills), refused: make([]bool, fills),
	}
	good = true
	for i := range e.Fills {
		f := &e.Fills[i]
		if f.Bulk.ID == 0 {
			continue
		}
		edge, err := n.checkBulk(p, e.Exec, f)
		if err == nil {
			err = a.checkSame(f.Bulk)
		}
		if room := n.limits.Spooled - a.spooled; err == nil && f.Bulk.Size > uint64(room) {
			err = fmt.Errorf("%w: a payload of %d bytes, want at most %d", ErrOverflow, f.Bulk.Size, room)
		}
		if err != nil {
			good = n.reject(r, f, err) && good
			a.refused[i] = true
			continue
		}
		if !slices.Contains(a.bulks, f.Bulk) {
			a.spooled += int64(f.Bulk.Size)
		}
		a.bulks[i], a.edges[i] = f.Bulk, edge
		a.missing++
	}
	return a, good
}

// checkSame returns an error if another payload of the envelope has the number of this one.
func (a *awaited) checkSame(b wire.Bulk) error {
	for _, x := range a.bulks {
		if x.ID == b.ID && x != b {
			return fmt.Errorf("%w: bulk %d is two payloads, of %d and %d bytes", wire.ErrMalformed, b.ID, x.Size, b.Size)
		}
	}
	return nil
}

// fetch asks the host to fetch the payloads for which an envelope waits.
func (n *Node) fetch(p *peer, a *awaited) {
	for i, b := range a.bulks {
		if b.ID != 0 && !slices.Contains(a.bulks[:i], b) {
			n.out.Push(output{kind: Fetch, peer: p, bulk: b})
		}
	}
}

// awaitedSize returns the memory that it costs to keep an envelope.
func awaitedSize(e *wire.Envelope, b []byte) int64 { return int64(len(b) + 128*len(e.Fills)) }

// reserve counts an envelope of a peer that waits for bulk, and the payloads that are fetched for it.
func (n *Node) reserve(p *peer, a *awaited) {
	n.ledger.Add(&p.uses, ledger.Waiting, a.size)
	n.ledger.Add(&p.uses, ledger.Spooled, a.spooled)
}

// unreserve ends the reservations of an envelope.
func (n *Node) unreserve(p *peer, a *awaited) {
	n.ledger.Add(&p.uses, ledger.Waiting, -a.size)
	n.ledger.Add(&p.uses, ledger.Spooled, -a.spooled)
	n.ledger.Add(&p.uses, ledger.Held, -a.held)
}

func (p *peer) awaits(seq uint64) bool {
	return slices.ContainsFunc(p.awaited, func(a *awaited) bool { return a.seq == seq })
}

// readAssembled reads an envelope whose bulk fills are complete.
func (n *Node) readAssembled(p *peer, a *awaited) int {
	p.awaited = slices.DeleteFunc(p.awaited, func(x *awaited) bool { return x == a })
	n.unreserve(p, a)
	defer a.release()
	if err := n.checkIgnored(p); err != nil {
		n.dropIgnored(p.id, err)
		return 0
	}
	e := &n.envelope
	if err := wire.ConsumeEnvelope(e, a.bytes, &n.limits.Wire); err != nil {
		panic("BUG: " + err.Error()) // it could be read before
	}
	for i := range e.Fills {
		if a.data[i] != nil {
			setPayload(&e.Fills[i], a.data[i])
		}
	}
	n.alive(p)
	fills := n.admit(p, e, a.refused)
	releasePayloads(e)
	return fills
}

// setPayload sets the payload of a bulk fill.
func setPayload(f *wire.SlotFill, data wire.Blob) {
	f.Payload, f.Blob, f.Bulk = data.Bytes(), data, wire.Bulk{}
}

// releasePayloads releases the large payloads of an envelope that has been read.
func releasePayloads(e *wire.Envelope) {
	for i := range e.Fills {
		if f := &e.Fills[i]; f.Blob != nil {
			f.Payload, f.Blob = nil, nil
		}
	}
}

// release releases the received payloads of an envelope.
func (a *awaited) release() {
	for i, data := range a.data {
		if data != nil {
			data.Release()
			a.data[i] = nil
		}
	}
}

// dropAwaitingBulk drops the envelopes of a peer that wait for bulk, and their reservations: they come again. Those whose
// bulk was fetched are kept until they are read.
func (n *Node) dropAwaitingBulk(p *peer) {
	p.awaited = slices.DeleteFunc(p.awaited, func(a *awaited) bool {
		if a.loading {
			return false
		}
		n.dropAwaited(p, a)
		return true
	})
}

// dropAwaited drops an envelope that waited for bulk.
func (n *Node) dropAwaited(p *peer, a *awaited) {
	n.unreserve(p, a)
	a.release()
}
