package raft

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// take handles the messages to this server from another one.
func (l *Log) take(n runtime.Peer, from wire.PeerID, b Batch) error {
	_, rank, ok := n.ClassOf(from)
	if !ok || rank >= l.Servers {
		return fmt.Errorf("%v has rank %d, and those of %d servers hold the log", from, rank, l.Servers)
	}
	return l.step(rank, b)
}

// step handles the messages of the server of a rank.
func (l *Log) step(rank int, b Batch) error {
	for _, m := range b.messages {
		if m.GetTo() != idOf(l.rank) {
			continue
		}
		if err := l.check(rank, m); err != nil {
			return err
		}
		if err := l.stepOne(m); err != nil {
			return err
		}
	}
	return nil
}

// between are the types of messages between servers.
var between = []raftpb.MessageType{
	raftpb.MsgApp, raftpb.MsgAppResp, raftpb.MsgVote, raftpb.MsgVoteResp, raftpb.MsgPreVote, raftpb.MsgPreVoteResp,
	raftpb.MsgSnap, raftpb.MsgHeartbeat, raftpb.MsgHeartbeatResp,
}

// check returns an error for a message that no server of the log sends.
func (l *Log) check(rank int, m *raftpb.Message) error {
	if m.GetFrom() != idOf(rank) {
		return fmt.Errorf("the server of rank %d sends a message of rank %d", rank, int64(m.GetFrom())-1)
	}
	if !slices.Contains(between, m.GetType()) {
		return fmt.Errorf("a message of type %v, which servers do not send each other", m.GetType())
	}
	for _, e := range m.GetEntries() {
		if e.GetType() != raftpb.EntryNormal {
			return fmt.Errorf("entry %d is of type %v, want a normal entry: the members of the log do not change", e.GetIndex(), e.GetType())
		}
	}
	if m.GetType() != raftpb.MsgSnap {
		return l.checkNumbers(m)
	}
	state := m.GetSnapshot().GetMetadata().GetConfState()
	if !slices.Equal(state.GetVoters(), voters(l.Servers)) || len(state.GetLearners())+len(state.GetVotersOutgoing())+len(state.GetLearnersNext()) > 0 {
		return fmt.Errorf("a state that servers %v hold, want %v", state.GetVoters(), voters(l.Servers))
	}
	var to machine
	return cmp.Or(to.read(m.GetSnapshot().GetData()), l.checkNumbers(m))
}

// maxAhead is how far terms and entries of others may be ahead of those here. So nobody uses up the numbers: in a term after which
// there is none, raft panics at the next election.
const maxAhead = 1 << 32

// checkNumbers returns an error for terms or entries that cannot exist yet. Raft itself checks what is committed.
func (l *Log) checkNumbers(m *raftpb.Message) error {
	last, err := l.storage.LastIndex()
	if err != nil {
		return err
	}
	snapshot := m.GetSnapshot().GetMetadata()
	terms := []uint64{m.GetTerm(), m.GetLogTerm(), snapshot.GetTerm()}
	indices := []uint64{m.GetIndex(), m.GetRejectHint(), snapshot.GetIndex()}
	for _, e := range m.GetEntries() {
		terms, indices = append(terms, e.GetTerm()), append(indices, e.GetIndex())
	}
	if term := l.node.BasicStatus().GetTerm(); slices.Max(terms) > term+maxAhead || slices.Max(indices) > last+maxAhead {
		return fmt.Errorf("a message of type %v with term %d and entry %d, and here are term %d and entry %d", m.GetType(), slices.Max(terms), slices.Max(indices), term, last)
	}
	return nil
}

// stepOne passes a message to raft. Raft panics at some impossible ones: then it restarts from its storage.
func (l *Log) stepOne(m *raftpb.Message) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a message of type %v that cannot be: %v", m.GetType(), r)
			if again := l.start(); again != nil {
				panic("BUG: " + again.Error())
			}
		}
	}()
	before := l.node.BasicStatus()
	err = l.node.Step(m)
	l.storeAndApply()
	if err != nil {
		return fmt.Errorf("a message of type %v: %w", m.GetType(), err)
	}
	after := l.node.BasicStatus()
	if fromLeader := m.GetFrom() == after.Lead && m.GetTerm() == after.GetTerm(); fromLeader || after.GetVote() != before.GetVote() {
		l.leaderless, l.least = 0, 0
	}
	return nil
}

// storeAndApply stores what raft has to store, and applies decided entries. Messages are sent after these are on disk.
func (l *Log) storeAndApply() {
	for l.node.HasReady() {
		rd := l.node.Ready()
		l.store(rd)
		for _, e := range rd.CommittedEntries {
			l.machine.apply(e)
		}
		l.out.add(rd.Messages)
		l.node.Advance(rd)
	}
	l.compact()
}

// store stores the content of a Ready. Storage in memory accepts every valid one.
func (l *Log) store(rd raft.Ready) {
	var err error
	if !raft.IsEmptySnap(rd.Snapshot) {
		if err = l.storage.ApplySnapshot(rd.Snapshot); err == nil {
			err = l.machine.read(rd.Snapshot.GetData())
			l.machine.applied = rd.Snapshot.GetMetadata().GetIndex()
		}
	}
	if err == nil {
		err = l.storage.Append(rd.Entries)
	}
	if err == nil && !raft.IsEmptyHardState(rd.HardState) {
		err = l.storage.SetHardState(rd.HardState)
	}
	if err != nil {
		panic("BUG: raft has something to store that does not follow: " + err.Error())
	}
}

// compact drops entries if there are many, and keeps the resulting state.
func (l *Log) compact() {
	snapshot, err := l.storage.Snapshot()
	if err != nil || l.machine.applied-snapshot.GetMetadata().GetIndex() < uint64(l.keep()) {
		return
	}
	if _, err = l.storage.CreateSnapshot(l.machine.applied, confState(l.Servers), l.machine.append(nil)); err == nil {
		err = l.storage.Compact(l.machine.applied)
	}
	if err != nil {
		panic("BUG: " + err.Error())
	}
}
