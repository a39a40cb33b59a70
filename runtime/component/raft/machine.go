package raft

import (
	"encoding/binary"
	"errors"
	"math"

	"go.etcd.io/raft/v3/raftpb"
)

// machine is the state that results from the log: the number of decided rounds, and the last outcome.
type machine struct {
	round   int64
	value   []float32
	applied uint64 // the last entry

	first []float32 // the initial value of the first round, which is not in the log
	told  int64     // rounds whose outcome the program has got
	begun int64     // rounds that were begun here, including the open one
	term  uint64    // the term of the last one: in a later term its outcome may be lost
}

// now returns the initial value of the open round, or nil if it is unknown.
func (m *machine) now() []float32 {
	if m.round == 0 {
		return m.first
	}
	return m.value
}

// apply applies an entry. The first decided outcome of a round counts.
func (m *machine) apply(e *raftpb.Entry) {
	m.applied = e.GetIndex()
	round, value, err := parseOutcome(e.GetData())
	if err == nil && round == m.round {
		m.round, m.value = round+1, value
	}
}

// append appends the number of decided rounds, and the last outcome.
func (m *machine) append(b []byte) []byte { return appendOutcome(b, m.round, m.value) }

// read sets what append has written.
func (m *machine) read(b []byte) (err error) {
	m.round, m.value, err = parseOutcome(b)
	return err
}

// appendOutcome appends the outcome of a round.
func appendOutcome(b []byte, round int64, value []float32) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(round))
	for _, v := range value {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

var errOutcome = errors.New("an entry that is no outcome of a round")

func parseOutcome(b []byte) (round int64, value []float32, err error) {
	if len(b) < 8 || len(b)%4 != 0 {
		return 0, nil, errOutcome
	}
	if round = int64(binary.LittleEndian.Uint64(b)); round < 0 {
		return 0, nil, errOutcome
	}
	value = make([]float32, (len(b)-8)/4)
	for i := range value {
		value[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[8+4*i:]))
	}
	return round, value, nil
}
