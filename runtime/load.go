package runtime

import (
	"errors"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A large value may come in a file. If the receiver does not read it in parts ([Edge.InParts]), the host loads it into
// memory before its envelope is read: the Node itself never waits for a disk.

// errNotLoaded is the error of a value for which there was no room in memory, which an overflow event reports, or whose
// file the host could not read.
var errNotLoaded = errors.New("a large value could not be loaded from its file")

// load asks the host to load the payloads of a fetched envelope that must be in memory, as far as there is room for
// them. If there are none, the envelope may be read.
func (n *Node) load(p *peer, a *awaited) {
	a.loading = true
	var asked []wire.Blob
	for i, x := range a.data {
		if !isFile(x) || a.edges[i].InParts {
			continue
		}
		if !slices.Contains(asked, x) {
			size := int64(x.Size())
			if a.edges[i].Collective == nil && !n.mayHold(&p.uses, a.edges[i], size) { // a collective cannot go on without it
				n.overflow("held")
				continue
			}
			n.ledger.Add(&p.uses, ledger.Held, size)
			a.held += size
			asked = append(asked, x)
			n.askLoad(p, x)
		}
		a.loads[i] = true
		a.missing++
	}
	n.readComplete(p, a)
}

func (n *Node) askLoad(p *peer, file wire.Blob) {
	file.Retain()
	n.out.Push(output{kind: Load, peer: p, value: file})
}

// readComplete queues an envelope that waits for no payload any more.
func (n *Node) readComplete(p *peer, a *awaited) {
	if a.missing == 0 {
		n.ingress.add(p, arrival{awaited: a})
	}
}

// Loaded passes the Node a value that it has asked the host to load, in memory and with the host's reference to it. The
// value is nil if its file cannot be read.
func (n *Node) Loaded(now int64, from wire.PeerID, file, value wire.Blob) {
	n.advance(now)
	p := n.peer(from)
	if value == nil || value.Size() != file.Size() {
		n.dropUnreadable(p, file)
		file.Retain()
		value = file // the fill will be refused
	}
	defer value.Release()
	if p == nil {
		return
	}
	if p == n.self {
		n.loadedOwn(file, value)
		return
	}
	for _, a := range p.awaited {
		if a.take(file, value) {
			n.readComplete(p, a)
		}
	}
}

// dropUnreadable drops the envelopes with chunks of collectives in a file that cannot be read. No later value replaces them,
// so the peer must send them again.
func (n *Node) dropUnreadable(p *peer, file wire.Blob) {
	if p == nil {
		return
	}
	kept := len(p.awaited)
	p.awaited = slices.DeleteFunc(p.awaited, func(a *awaited) bool {
		if !a.isCall(file) {
			return false
		}
		n.dropAwaited(p, a)
		return true
	})
	if len(p.awaited) < kept {
		n.refuse(p, wire.ExecID{}, 0, errNotLoaded)
		n.hangUp(p)
	}
}

// isCall reports whether an envelope waits for a chunk of a collective in a file.
func (a *awaited) isCall(file wire.Blob) bool {
	for i, x := range a.data {
		if a.loads[i] && x == file && a.edges[i].Collective != nil {
			return true
		}
	}
	return false
}

// take replaces a file that was loaded by its value. It returns false if the envelope does not wait for the file.
func (a *awaited) take(file, value wire.Blob) (took bool) {
	for i, x := range a.data {
		if a.loads[i] && x == file {
			value.Retain()
			a.data[i], a.loads[i], took = value, false, true
			a.missing--
			file.Release()
		}
	}
	return took
}

// loadOwn reports whether the payloads of an envelope of the Node to itself that must be in memory are. Otherwise it asks
// the host to load them: the envelope, and those behind it, go out later.
func (n *Node) loadOwn(e *outbox.Envelope) bool {
	all := true
	for i := range e.Fills {
		x := e.Fills[i].Payload
		if x == nil || !isFile(x.Blob()) || n.partition.Edges[e.Fills[i].Edge].InParts || x.IsLoaded() {
			continue
		}
		all = false
		if x.Load() {
			n.askLoad(n.self, x.Blob())
		}
	}
	return all
}

// loadedOwn records that a payload of the Node to itself was loaded.
func (n *Node) loadedOwn(file, value wire.Blob) {
	e := n.self.outbox.Next()
	if e == nil {
		return
	}
	for i := range e.Fills {
		if x := e.Fills[i].Payload; x != nil && x.Blob() == file && !x.IsLoaded() {
			value.Retain()
			x.SetLoaded(value)
		}
	}
	n.schedule(n.self)
}

// Filled passes the Node a payload that it has requested, with the host's reference to it.
func (n *Node) Filled(now int64, from wire.PeerID, b wire.Bulk, data wire.Blob) {
	n.advance(now)
	defer data.Release()
	p := n.peer(from)
	if p == nil || data.Size() != b.Size {
		return
	}
	for _, a := range p.awaited {
		for i := range a.bulks {
			if a.bulks[i] == b && a.data[i] == nil {
				data.Retain()
				a.data[i] = data
				if a.missing--; a.missing == 0 {
					n.load(p, a)
				}
			}
		}
	}
}
