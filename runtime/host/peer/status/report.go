package status

import (
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/telemetry"
	"github.com/bbgen/bbgen/runtime/wire"
)

// PeerStatus is the status of another peer as this one sees it.
type PeerStatus struct {
	Name      string        `json:"name"`
	ID        wire.PeerID   `json:"id"`
	Up        bool          `json:"up"`
	Since     time.Time     `json:"since"` // of the last connection
	RoundTrip time.Duration `json:"round_trip_ns"`
	Skew      time.Duration `json:"clock_skew_ns"` // by which its clock is ahead
	In        int64         `json:"in"`
	Out       int64         `json:"out"`
	InRate    float64       `json:"in_rate"` // bytes in the last second
	OutRate   float64       `json:"out_rate"`
	Waiting   int           `json:"waiting"` // bytes for it that it has not acknowledged
	Error     string        `json:"error,omitempty"`
	Trouble   string        `json:"trouble,omitempty"` // why it is missing, or in what way it is slow
}

// A Report is the data of the pages.
type Report struct {
	Name        string        `json:"name"`
	Program     string        `json:"program"`
	Fingerprint string        `json:"fingerprint"`
	Build       string        `json:"build,omitempty"`
	Kernels     string        `json:"kernels"`
	Limits      string        `json:"limits"`
	Uptime      time.Duration `json:"uptime_ns"`
	Status      *Status       `json:"status"`
	Stats       runtime.Stats `json:"stats"`
	Peers       []PeerStatus  `json:"peers"`
	Emitted     []Number      `json:"emitted,omitempty"`  // the last outputs of the program
	Counters    []Number      `json:"counters,omitempty"` // of the program
	Records     []Number      `json:"records,omitempty"`
	Spans       *Spans        `json:"spans,omitempty"` // of traces; nil: none are exported

	Picture   *Picture            `json:"picture,omitempty"`
	Telemetry telemetry.Telemetry `json:"-"`
	History   *History            `json:"-"`
	Token     string              `json:"-"` // required by the pages; "": none
}

// Spans counts the spans of traces.
type Spans struct {
	Sent    uint64 `json:"sent"`
	Dropped uint64 `json:"dropped"` // there was no room for them, or the collector did not take them
}
