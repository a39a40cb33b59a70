package raft

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// newStorage returns the storage of an empty log: it begins after a first entry that all servers know.
func newStorage(servers int) (*raft.MemoryStorage, error) {
	var empty machine
	return storageOf(&raftpb.Snapshot{
		Data:     empty.append(nil),
		Metadata: &raftpb.SnapshotMetadata{Index: new(firstIndex), Term: new(firstTerm), ConfState: confState(servers)},
	}, nil, &raftpb.HardState{Term: new(firstTerm), Vote: new(uint64), Commit: new(firstIndex)})
}

// The first entry, which has no content.
const firstIndex, firstTerm uint64 = 1, 1

// storageOf returns a storage with the content of a log.
func storageOf(snapshot *raftpb.Snapshot, entries []*raftpb.Entry, hard *raftpb.HardState) (*raft.MemoryStorage, error) {
	s := raft.NewMemoryStorage()
	err := s.ApplySnapshot(snapshot)
	if err == nil {
		err = s.Append(entries)
	}
	if err == nil {
		err = s.SetHardState(hard)
	}
	return s, err
}

// voters returns raft's ids of the servers.
func voters(servers int) []uint64 {
	list := make([]uint64, servers)
	for i := range list {
		list[i] = idOf(i)
	}
	return list
}

func confState(servers int) *raftpb.ConfState { return &raftpb.ConfState{Voters: voters(servers)} }
