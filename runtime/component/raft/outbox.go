package raft

import (
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// outbox holds messages to other servers that were not given to the program yet.
type outbox struct{ list []*raftpb.Message }

// maxOut is how many messages may wait. Raft repeats lost ones.
const maxOut = 256

func (o *outbox) add(list []*raftpb.Message) {
	o.list = append(o.list, list...)
	if n := len(o.list) - maxOut; n > 0 {
		o.list = slices.Delete(o.list, 0, n)
	}
}

// deliver returns all waiting messages with their receivers. Messages for servers that are down are dropped.
func (l *Log) deliver(n runtime.Peer) (to []wire.PeerID, b Batch, err error) {
	for _, p := range n.Peers(nil, l.class) {
		_, rank, _ := n.ClassOf(p)
		id := idOf(rank)
		isFor := func(m *raftpb.Message) bool { return m.GetTo() == id }
		switch i := slices.IndexFunc(l.out.list, isFor); {
		case i < 0:
		case len(n.Healthy(nil, []wire.PeerID{p})) == 0:
			l.out.list = slices.DeleteFunc(l.out.list, isFor)
			l.node.ReportUnreachable(id)
		default:
			to = append(to, p)
		}
		l.node.ReportSnapshot(id, raft.SnapshotFinish) // raft detects if it is lost
	}
	if len(to) > 0 {
		b.messages = l.out.list
	}
	l.out.list = nil
	return to, b, nil
}
