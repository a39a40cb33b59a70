package raft

import (
	"math"
	"math/rand/v2"
	"testing"

	"go.etcd.io/raft/v3/raftpb"
)

// TestNumbersAreNotUsedUp: one server sends terms and indices after which no others follow. It is refused, and the servers go on to elect
// leaders and to decide rounds.
func TestNumbersAreNotUsedUp(t *testing.T) {
	for _, typ := range []raftpb.MessageType{raftpb.MsgHeartbeat, raftpb.MsgApp, raftpb.MsgVote, raftpb.MsgPreVote, raftpb.MsgAppResp, raftpb.MsgSnap} {
		for _, far := range []uint64{1 << 40, 1 << 63, math.MaxUint64 - 1, math.MaxUint64} {
			c := newCluster(t, 3, 1)
			for k := 0; len(c.outcomes) < 2; k++ {
				if c.period(); k > 200 {
					t.Fatal("nothing is decided")
				}
			}
			for to := range 2 {
				m := &raftpb.Message{Type: &typ, To: new(idOf(to)), From: new(idOf(2)), Term: &far, Index: &far, LogTerm: &far}
				if typ == raftpb.MsgSnap {
					m.Snapshot = &raftpb.Snapshot{Data: appendOutcome(nil, 9, []float32{9, 9}), Metadata: &raftpb.SnapshotMetadata{Index: &far, Term: new(uint64(7)), ConfState: confState(3)}}
					m.Term = new(c.servers[to].node.BasicStatus().GetTerm() + 1)
				}
				if err := c.servers[to].step(2, Batch{[]*raftpb.Message{m}}); err == nil {
					t.Errorf("%v: %d is taken", typ, far)
				}
			}
			c.down[2] = true
			before := len(c.outcomes)
			for k := 0; len(c.outcomes) < before+2; k++ {
				if c.period(); k > 400 {
					t.Fatalf("%v of %d: nothing is decided any more", typ, far)
				}
			}
		}
	}
}

// TestMutatedMessages: a server sends any messages of the right types, with fields that are extreme or nearly right. Nothing panics, each server can be
// stored and restored, and time goes on.
func TestMutatedMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 40 {
		c := newCluster(t, 3, r.Uint64())
		for range 40 {
			c.period()
		}
		l := c.servers[0]
		for range 60 {
			status := l.node.BasicStatus()
			any := func(near uint64) *uint64 {
				x := []uint64{0, 1, near - 1, near, near + 1, near + 2, 1 << 33, 1 << 62, math.MaxUint64}[r.IntN(9)]
				return &x
			}
			last, _ := l.storage.LastIndex()
			typ := between[r.IntN(len(between))]
			m := &raftpb.Message{
				Type: &typ, To: new(idOf(0)), From: new(idOf(1)), Term: any(status.GetTerm()), Index: any(last), LogTerm: any(status.GetTerm()),
				Commit: any(status.GetCommit()), Vote: any(2), Reject: new(r.IntN(2) == 0), RejectHint: any(last),
			}
			for i := range r.IntN(3) {
				m.Entries = append(m.Entries, &raftpb.Entry{Index: any(last + uint64(i)), Term: any(status.GetTerm()), Data: [][]byte{nil, {1}, appendOutcome(nil, l.machine.round, []float32{1, 2})}[r.IntN(3)]})
			}
			if typ == raftpb.MsgSnap {
				m.Snapshot = &raftpb.Snapshot{Data: appendOutcome(nil, l.machine.round+1, []float32{1, 2}), Metadata: &raftpb.SnapshotMetadata{Index: any(last), Term: any(status.GetTerm()), ConfState: confState(3)}}
			}
			_ = l.step(1, Batch{[]*raftpb.Message{m}})
			l.tick(r.IntN)
			l.storeAndApply()
			c.save(0)
			if r.IntN(5) == 0 {
				c.restart(0)
				l = c.servers[0]
			}
		}
	}
}
