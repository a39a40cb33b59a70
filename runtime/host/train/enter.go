package train

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Shared is what peers that train together have alike before a step. One that joins is given
// it by another.
type Shared interface {
	AppendBinary(b []byte) ([]byte, error)
	UnmarshalBinary(b []byte) error
}

// enter begins a step. A peer that joins has the others' state then, and is a guest in that
// step: it has no examples, as they have shared out the batch without it.
func (t *trainer) enter() error {
	joined, err := t.team.Enter(shared{t})
	if err != nil {
		return &groupError{err}
	}
	t.team.guest = joined
	return nil
}

// shared is a training as others are given it.
type shared struct{ *trainer }

// sharedHeader stands before the tensors, behind its length.
type sharedHeader struct {
	Task     string   `json:"task"`
	Position position `json:"position"`
	Members  []int    `json:"members"`
}

// AppendBinary appends how far the training is, who takes part, and all tensors.
func (s shared) AppendBinary(b []byte) ([]byte, error) {
	text, err := json.Marshal(sharedHeader{s.task(), s.position, s.team.members})
	if err != nil {
		return b, err
	}
	b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	for _, v := range s.s.State() {
		b = append(b, v.Value.Bytes()...)
	}
	return b, nil
}

// UnmarshalBinary goes on where another peer is.
func (s shared) UnmarshalBinary(b []byte) error {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return errors.New("what a peer gives is no training")
	}
	var h sharedHeader
	if err := json.NewDecoder(bytes.NewReader(b[n : n+int(size)])).Decode(&h); err != nil {
		return fmt.Errorf("what a peer gives is no training: %w", err)
	}
	if h.Task != s.task() {
		return errOthers
	}
	if err := s.team.checkMembers(h.Members); err != nil {
		return err
	}
	b = b[n+int(size):]
	want := 0
	for _, v := range s.s.State() {
		want += len(v.Value.Bytes())
	}
	if len(b) != want {
		return fmt.Errorf("a peer gives %d bytes of state, want %d", len(b), want)
	}
	for _, v := range s.s.State() {
		b = b[copy(v.Value.Bytes(), b):]
	}
	s.position, s.team.members = h.Position, h.Members
	return nil
}

// checkMembers says what is wrong with ranks that a peer says take part.
func (m *team) checkMembers(list []int) error {
	seen := make([]bool, m.Size())
	for _, rank := range list {
		if rank < 0 || rank >= len(seen) || seen[rank] || rank == m.Rank() {
			return fmt.Errorf("a peer says that %v take part, want others of %d, each once", list, len(seen))
		}
		seen[rank] = true
	}
	if !slices.Contains(seen, true) {
		return errors.New("a peer says that nobody takes part")
	}
	return nil
}
