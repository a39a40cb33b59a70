package train

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Shared is the state that all peers of a group have in common before a step. A joining peer gets it from
// another one.
type Shared interface {
	AppendBinary(b []byte) ([]byte, error)
	UnmarshalBinary(b []byte) error
}

// enter begins a step. A joining peer gets the state of the others, and has no examples in that step, as the
// others have divided the batch without it.
func (t *trainer) enter() error {
	if err := t.team.reshard(); err != nil { // so that a joining peer knows the owners from the members
		return err
	}
	joined, err := t.team.Enter(shared{t})
	if err != nil {
		return &groupError{err}
	}
	t.team.justJoined = joined
	return nil
}

// shared is a training as the state for others.
type shared struct{ *trainer }

// sharedHeader precedes the tensors, after its length.
type sharedHeader struct {
	Task     string   `json:"task"`
	Position position `json:"position"`
	Members  []int    `json:"members"`
}

// AppendBinary appends the position of the training, the members, and all tensors.
func (s shared) AppendBinary(b []byte) ([]byte, error) {
	text, err := json.Marshal(sharedHeader{s.task(), s.position, s.team.members})
	if err != nil {
		return b, err
	}
	b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	for _, v := range s.team.common() {
		b = append(b, v.Value.Bytes()...)
	}
	return b, nil
}

// UnmarshalBinary continues at the state of another peer.
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
		return errDifferent
	}
	if err := s.team.checkMembers(h.Members); err != nil {
		return err
	}
	b = b[n+int(size):]
	want := 0
	for _, v := range s.team.common() {
		want += len(v.Value.Bytes())
	}
	if len(b) != want {
		return fmt.Errorf("a peer gives %d bytes of state, want %d", len(b), want)
	}
	for _, v := range s.team.common() {
		b = b[copy(v.Value.Bytes(), b):]
	}
	s.position, s.team.members = h.Position, h.Members
	if s.team.shards != nil {
		s.team.shards.divide(h.Members) // this peer is none of them: it keeps nothing yet
	}
	return nil
}

// checkMembers returns an error if a received list of member ranks is invalid.
func (m *team) checkMembers(list []int) error {
	seen := make([]bool, m.Size())
	for _, rank := range list {
		if rank < 0 || rank >= len(seen) || seen[rank] || rank == m.Rank() {
			return fmt.Errorf("a peer sends the members %v, want others of %d, each once", list, len(seen))
		}
		seen[rank] = true
	}
	if !slices.Contains(seen, true) {
		return errors.New("a peer sends an empty list of members")
	}
	return nil
}
