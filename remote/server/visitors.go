package server

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/host/peer"
)

const (
	maxVisitors = 128 // connections about which nothing is decided yet
	maxDialing  = 16  // transfers that are opening their connection
)

// visit lets a connection say who it is. When there are too many of those, the oldest is
// ended: whoever opens connections and says nothing shuts out himself first, and no client
// that is known.
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

// enter says that a connection is a client's, or a server's with a ticket. It is false if
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

// leave says that a connection has ended.
func (s *Server) leave(stream peer.Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.entered, stream)
	s.visitors = slices.DeleteFunc(s.visitors, func(x peer.Stream) bool { return x == stream })
}
