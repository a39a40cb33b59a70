package raft

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// AppendBinary appends the log, and this server's progress.
func (l *Log) AppendBinary(b []byte) ([]byte, error) {
	hard, _, err := l.storage.InitialState()
	if err != nil {
		return b, err
	}
	snapshot, err := l.storage.Snapshot()
	if err != nil {
		return b, err
	}
	first, err := l.storage.FirstIndex()
	if err != nil {
		return b, err
	}
	last, err := l.storage.LastIndex()
	if err != nil {
		return b, err
	}
	log := []proto.Message{hard, snapshot}
	if last >= first {
		entries, err := l.storage.Entries(first, last+1, 1<<62)
		if err != nil {
			return b, err
		}
		for _, e := range entries {
			log = append(log, e)
		}
	}
	b = values.AppendDense(b, tensor.DenseOf(l.machine.first, len(l.machine.first)))
	for _, x := range []int64{l.machine.told, l.machine.begun, int64(l.machine.term), int64(len(log))} {
		b = values.AppendScalar(b, x)
	}
	for _, m := range log {
		bytes, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			return b, err
		}
		b = values.AppendDense(b, tensor.DenseOf(bytes, len(bytes)))
	}
	return b, nil
}

// UnmarshalBinary reads the output of AppendBinary. Waiting messages are lost.
func (l *Log) UnmarshalBinary(b []byte) error {
	var first tensor.Dense[float32]
	var told, begun, term, n int64
	f := values.NewFields(b)
	values.ReadDense(f, &first)
	for _, x := range []*int64{&told, &begun, &term, &n} {
		values.ReadScalar(f, x)
	}
	hard, snapshot := &raftpb.HardState{}, &raftpb.Snapshot{}
	var entries []*raftpb.Entry
	for i := int64(0); i < n && f.Err() == nil; i++ {
		var m proto.Message
		switch i {
		case 0:
			m = hard
		case 1:
			m = snapshot
		default:
			e := &raftpb.Entry{}
			m, entries = e, append(entries, e)
		}
		var bytes tensor.Dense[uint8]
		if values.ReadDense(f, &bytes); proto.Unmarshal(bytes.Data, m) != nil {
			return fmt.Errorf("part %d of a log cannot be read", i)
		}
	}
	if err := f.End(); err != nil {
		return err
	}
	read := *l // so that l is unchanged if what was read does not follow
	read.machine = machine{told: told, begun: begun, term: uint64(term)}
	if len(first.Data) > 0 {
		read.machine.first = first.Data
	}
	if err := read.restore(snapshot, entries, hard); err != nil {
		return err
	}
	*l = read
	return nil
}

// restore begins with the stored log, and applies the entries decided since its snapshot.
func (l *Log) restore(snapshot *raftpb.Snapshot, entries []*raftpb.Entry, hard *raftpb.HardState) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a log that does not follow: %v", r)
		}
	}()
	if err := l.machine.read(snapshot.GetData()); err != nil {
		return err
	}
	l.machine.applied = snapshot.GetMetadata().GetIndex()
	if l.storage, err = storageOf(snapshot, entries, hard); err != nil {
		return err
	}
	l.out = outbox{}
	if err := l.start(); err != nil {
		return err
	}
	l.storeAndApply()
	return nil
}
