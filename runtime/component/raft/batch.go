package raft

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// Batch is messages of one server to others; each receiver uses those that are for it. Common payloads are
// included once.
type Batch struct{ messages []*raftpb.Message }

// Size returns the maximum size of a Batch if outcomes of rounds have that many elements.
func Size(elements int) int { return 1<<18 + 16*(4*elements+64) }

// payload identifies an entry or state.
type payload struct {
	state       bool
	index, term uint64
}

// AppendBinary appends payloads, and messages that refer to them by number.
func (b *Batch) AppendBinary(to []byte) ([]byte, error) {
	var payloads [][]byte
	numbers := map[payload]int{}
	refer := func(p payload, data []byte) []byte {
		if len(data) == 0 {
			return nil
		}
		if _, ok := numbers[p]; !ok {
			numbers[p] = len(payloads)
			payloads = append(payloads, data)
		}
		return binary.AppendUvarint(nil, uint64(numbers[p]))
	}
	var messages [][]byte
	for _, m := range b.messages {
		bytes, err := proto.MarshalOptions{Deterministic: true}.Marshal(withPayloads(m, refer))
		if err != nil {
			return to, err
		}
		messages = append(messages, bytes)
	}
	return appendList(appendList(to, payloads), messages), nil
}

// withPayloads returns a copy of a message with other payloads.
func withPayloads(m *raftpb.Message, data func(payload, []byte) []byte) *raftpb.Message {
	out := &raftpb.Message{
		Type: m.Type, To: m.To, From: m.From, Term: m.Term, LogTerm: m.LogTerm, Index: m.Index, Commit: m.Commit,
		Vote: m.Vote, Reject: m.Reject, RejectHint: m.RejectHint, Context: m.Context,
	}
	for _, e := range m.GetEntries() {
		p := payload{false, e.GetIndex(), e.GetTerm()}
		out.Entries = append(out.Entries, &raftpb.Entry{Term: e.Term, Index: e.Index, Type: e.Type, Data: data(p, e.GetData())})
	}
	if s := m.GetSnapshot(); s != nil {
		p := payload{true, s.GetMetadata().GetIndex(), s.GetMetadata().GetTerm()}
		out.Snapshot = &raftpb.Snapshot{Metadata: s.Metadata, Data: data(p, s.GetData())}
	}
	return out
}

var errBatch = errors.New("these bytes are no messages of raft")

// UnmarshalBinary reads messages.
func (b *Batch) UnmarshalBinary(from []byte) error {
	payloads, from, err := readList(from, 1<<16)
	if err != nil {
		return err
	}
	messages, from, err := readList(from, maxOut)
	if err != nil || len(from) > 0 {
		return errBatch
	}
	for i := range payloads {
		payloads[i] = slices.Clone(payloads[i]) // the bytes are borrowed
	}
	read := Batch{}
	for _, bytes := range messages {
		m := &raftpb.Message{}
		if err := proto.Unmarshal(bytes, m); err != nil {
			return fmt.Errorf("%w: %v", errBatch, err)
		}
		bad := false
		m = withPayloads(m, func(_ payload, number []byte) []byte {
			if len(number) == 0 {
				return nil
			}
			k, used := binary.Uvarint(number)
			if used != len(number) || k >= uint64(len(payloads)) {
				bad = true
				return nil
			}
			return payloads[k]
		})
		if bad {
			return errBatch
		}
		read.messages = append(read.messages, m)
	}
	*b = read
	return nil
}

// appendList appends the number of items, and each with its length.
func appendList(b []byte, list [][]byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, x := range list {
		b = append(binary.AppendUvarint(b, uint64(len(x))), x...)
	}
	return b
}

// readList reads the output of appendList, at most most items.
func readList(b []byte, most uint64) (list [][]byte, rest []byte, err error) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > most || n > uint64(len(b)) {
		return nil, nil, errBatch
	}
	b = b[used:]
	for range n {
		size, used := binary.Uvarint(b)
		if used <= 0 || size > uint64(len(b)-used) {
			return nil, nil, errBatch
		}
		b = b[used:]
		list, b = append(list, b[:size]), b[size:]
	}
	return list, b, nil
}
