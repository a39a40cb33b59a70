package peer

import (
	"io"
	"os"
	"time"

	"github.com/bbgen/bbgen/runtime/host/otlp"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
)

// openTraces starts the exporter of traces, if -otlp or the environment names a collector. It knows the identity of
// the peer, and comes before the node.
func (h *host) openTraces(io.Writer) error {
	config, err := otlp.Read(h.options.OTLP, os.Getenv)
	if err != nil {
		return usageError{err}
	}
	if config == nil {
		return nil
	}
	traces := otlp.Start(*config, otlp.Process{Self: h.config.Self, Began: h.Began, Name: h.nameOf, Resource: h.resource()}, h.log)
	h.traces, h.config.Span = traces, traces.Add
	return nil
}

// resource returns the attributes of all spans of the peer.
func (h *host) resource() []otlp.Attribute {
	list := []otlp.Attribute{
		{Key: "service.name", Value: h.program.Name},
		{Key: "service.instance.id", Value: h.config.Self.String()},
		{Key: "bbgen.peer", Value: h.name()},
		{Key: "bbgen.class", Value: h.program.Class},
	}
	if h.program.BuildID != "" {
		list = append(list, otlp.Attribute{Key: "service.version", Value: h.program.BuildID})
	}
	return list
}

// endTraces sends the last spans, if that is possible within a time.
func (h *host) endTraces(within time.Duration) {
	if h.traces != nil {
		h.traces.End(within)
		h.traces = nil
	}
}

// spans returns the counters of traces, or nil if none are exported.
func (h *host) spans() *status.Spans {
	if h.traces == nil {
		return nil
	}
	s := &status.Spans{}
	s.Sent, s.Dropped = h.traces.Counts()
	return s
}
