package main

import "os"

// largest is how many MB a client without weights may have.
var largest = map[string]float64{"tcp": 12, "libp2p": 24}

// sizes looks at the binary of a client: static, stripped, with the page of its
// status, metrics and the profiler.
func (b *bench) sizes(host string) error {
	bins, err := b.binaries("program", host, "server", "client")
	if err != nil {
		return err
	}
	st, err := os.Stat(bins["client"])
	if err != nil {
		return err
	}
	r := row{Figure: "binary of a client without weights", Host: host, Value: float64(st.Size()) / 1e6, Unit: "MB"}
	if bar := largest[host]; bar > 0 {
		r.Bound, r.Bar = "≤", bar
	}
	b.add(r)
	return nil
}
