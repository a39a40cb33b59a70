package server

import (
	"fmt"

	"github.com/bbgen/bbgen/remote/protocol"
)

// store is the tensors of a session by the client's numbers. Only the goroutine that reads messages uses it.
type store struct {
	memory *account
	slots  map[uint64]*slot
}

// get returns the slots with the given numbers, each with one more reference. 0 is an omitted input.
func (s *store) get(ids []uint64) ([]*slot, *protocol.Failure) {
	list := make([]*slot, len(ids))
	for i, id := range ids {
		if id == 0 {
			continue
		}
		x := s.slots[id]
		if x == nil {
			releaseAll(list[:i])
			return nil, &protocol.Failure{Code: protocol.Unknown, Text: fmt.Sprintf("input %d: the session has no tensor %d: it was released, or never made", i, id)}
		}
		x.hold()
		list[i] = x
	}
	return list, nil
}

// add makes slots with the given numbers, each with a second reference for the goroutine that fills it.
func (s *store) add(ids []uint64) ([]*slot, error) {
	list := make([]*slot, 0, len(ids))
	for _, id := range ids {
		if id == 0 || s.slots[id] != nil {
			s.undo(ids[:len(list)], list)
			return nil, fmt.Errorf("tensor %d: each number stands for one tensor, and 0 for none", id)
		}
		x, err := newSlot(s.memory, 2)
		if err != nil {
			s.undo(ids[:len(list)], list)
			return nil, err
		}
		s.slots[id] = x
		list = append(list, x)
	}
	return list, nil
}

func (s *store) undo(ids []uint64, list []*slot) {
	for i, id := range ids {
		delete(s.slots, id)
		list[i].release()
		list[i].release()
	}
}

// release removes the slots with the given numbers.
func (s *store) release(ids []uint64) {
	for _, id := range ids {
		if x := s.slots[id]; x != nil {
			delete(s.slots, id)
			x.release()
		}
	}
}

func releaseAll(list []*slot) {
	for _, x := range list {
		if x != nil {
			x.release()
		}
	}
}
