// Quickstart builds the two peers of a minimal program, runs them as processes that communicate over libp2p,
// and prints the values that the station passes to its host. The last line is a JSON object.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/runtime/host/launch"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// result is the last line.
type result struct {
	Readings int     `json:"readings"`
	Last     float64 `json:"last_fahrenheit"`
}

func run(w io.Writer) error {
	dir, err := os.MkdirTemp("", "quickstart")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin, err := gobuild.Peers(dir, "github.com/bbgen/bbgen/examples/quickstart/peer", "station", "thermometer")
	if err != nil {
		return err
	}
	fleet, err := launch.Start(launch.Options{Dir: dir, Peers: []launch.Peer{
		{Class: "station", Binary: bin["station"]},
		{Class: "thermometer", Binary: bin["thermometer"]},
	}})
	if err != nil {
		return err
	}
	defer fleet.Stop()
	return listen(w, fleet)
}

const readings = 5 // as in the program

// listen prints the station's values until it has received all.
func listen(w io.Writer, fleet *launch.Fleet) error {
	var r result
	late := time.After(time.Minute)
	for r.Readings < readings {
		select {
		case l := <-fleet.Lines():
			if l.Kind == "exited" {
				return fmt.Errorf("%s has ended: %s", l.Peer, l.Error)
			}
			values, ok := l.Value.([]any)
			if l.Kind != "emitted" || l.Peer != "station-0" || !ok || len(values) != 1 {
				continue
			}
			r.Readings++
			r.Last, _ = values[0].(float64)
			fmt.Fprintf(w, "%s: %v °F\n", l.Peer, r.Last)
		case <-late:
			return errors.New("the station has not heard five readings within a minute")
		}
	}
	return json.NewEncoder(w).Encode(r)
}
