package mem

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
)

// disk is the part of a peer that survives a crash: its last snapshot, and the previous one in case the disk
// has lied about the last one.
type disk struct {
	last, before saved
	fullTil      int64 // the time until which nothing can be written
	liesTil      int64 // the time until which it reports writes that a crash will lose
	failsTil     int64 // the time until which it reports that a crash may lose its writes
	torn         []byte
}

// saved is a snapshot with the values that it names.
type saved struct {
	snapshot []byte // nil: none
	values   map[uint64][]byte
	lost     bool // a crash loses it: the disk has lied
}

// retrySave is the delay until a peer tries again to write a snapshot, ns.
const retrySave = 100e6

// checkpoint takes a snapshot, which becomes durable some time later.
func (h *host) checkpoint() {
	if h.spool != nil {
		h.spool.written++
	}
	b, err := h.node.Snapshot(make([]byte, 0, len(h.disk.last.snapshot)+512)) // most snapshots are about as long as the last one
	if err != nil {
		h.w.fail(h, fmt.Errorf("checkpoint: %w", err))
		return
	}
	for i := range h.members {
		h.members[i].taken = true
	}
	node, last := h.node, h.leaving > 0
	h.plan(h.w.now+h.w.upTo(h.w.config.Persist), func() { h.save(node, b, last) })
}

// save writes a snapshot, now or when there is room for it.
func (h *host) save(node *runtime.Node, b []byte, last bool) {
	switch w := h.w; {
	case h.node != node:
		return
	case w.now < h.disk.fullTil:
		w.struck(DiskFull)
		h.plan(w.now+retrySave, func() { h.save(node, b, last) })
		return
	case w.now < h.disk.failsTil:
		w.struck(SyncFails)
		if w.upTo(1) == 0 {
			h.disk.write(b, h.spool, w.now)
		}
		h.plan(w.now+retrySave, func() { h.save(node, b, last) })
		return
	}
	h.disk.write(b, h.spool, h.w.now)
	if h.w.Saved != nil {
		h.w.Saved(h.index)
	}
	for i := range h.members {
		h.members[i].safe = h.members[i].taken
	}
	if h.doomed[CrashSaved] > 0 {
		h.die(CrashSaved)
		return
	}
	node.Persisted(h.clock())
	h.pump()
	if last {
		h.leave()
	}
}

// write makes a snapshot the last one, with the values that it names.
func (d *disk) write(b []byte, s *spool, now int64) {
	if !d.last.lost {
		d.before = d.last
	}
	d.last = saved{snapshot: b, lost: now < d.liesTil}
	if s != nil {
		d.last.values = s.sync()
	}
}

// crash loses the writes about which the disk has lied: the file is truncated, or has a flipped bit.
func (d *disk) crash(w *Network) {
	if !d.last.lost {
		return
	}
	size := int64(len(d.last.snapshot))
	if d.torn = bytes.Clone(d.last.snapshot); w.upTo(1) == 0 {
		d.torn = d.torn[:w.upTo(size-1)]
	} else {
		d.torn[w.upTo(size-1)] ^= 1 << w.upTo(7)
	}
	d.last, d.before = d.before, saved{}
}

// load makes the peer's node from the disk's content.
func (h *host) load() (err error) {
	if err := h.loadTorn(); err != nil {
		return err
	}
	last := h.disk.last
	if h.w.config.Verify && last.snapshot != nil {
		if err := h.verify(last); err != nil {
			return err
		}
	}
	h.openSpool(last.values)
	p := h.fresh
	if h.fresh = nil; p == nil {
		p = h.partition()
	}
	if last.snapshot == nil {
		h.node, err = runtime.New(h.config, p)
	} else {
		h.node, err = runtime.Restore(h.config, p, last.snapshot)
	}
	return err
}

// loadTorn first tries the damaged snapshot. It must be refused.
func (h *host) loadTorn() error {
	torn := h.disk.torn
	if torn == nil {
		return nil
	}
	h.disk.torn = nil
	h.w.struck(DiskLies)
	h.openSpool(nil)
	if _, err := runtime.Restore(h.config, h.partition(), torn); !errors.Is(err, runtime.ErrSnapshot) {
		return fmt.Errorf("restored from %d bytes of a snapshot: %v, want %w", len(torn), err, runtime.ErrSnapshot)
	}
	if h.w.Torn != nil {
		h.w.Torn(h.index)
	}
	return nil
}
