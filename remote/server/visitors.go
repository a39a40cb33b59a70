package server

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/host/peer"
)

const (
	maxVisitors = 128 // connections that are not admitted yet
	maxDialing  = 16  // transfers that are opening their connection
)

// visit lets a connection send its Hello. If there are too many of those, it ends the oldest one: a peer that
// opens connections without sending anything ends its own connections first, and never those of admitted
// clients.
func (s *Server) visit(stream peer.Stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	if len(s.visitors) == maxVisitors {
		s.visitors[0].Close()
		s.visitors = slices.Delete(s.visitors, 0, 1)
	}
	s.visitors = append(s.visitors, stream)
	return true
}

// enter records that a connection is that of a client, or of a server with a ticket. It returns false if
// there are too many of those.
func (s *Server) enter(stream peer.Stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.visitors, stream)
	if i < 0 || len(s.entered) == s.config.Connections {
		return false
	}
	s.visitors = slices.Delete(s.visitors, i, i+1)
	s.entered[stream] = true
	return true
}

// leave records the end of a connection.
func (s *Server) leave(stream peer.Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.entered, stream)
	s.visitors = slices.DeleteFunc(s.visitors, func(x peer.Stream) bool { return x == stream })
}
