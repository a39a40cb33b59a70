package main

import "os"

// sizes looks at the binaries of a client: static, stripped, with the pages of
// status, metrics and the profiler.
func (b *bench) sizes(host string) error {
	bins, err := b.binaries("program", host, "server", "client")
	if err != nil {
		return err
	}
	figure := "binary of a client without weights"
	switch host {
	case "tcp":
		return b.size(figure, host, bins["client"], 12)
	case "libp2p":
		if err := b.size(figure+", with QUIC", host, bins["client"], 24); err != nil {
			return err
		}
		defer os.Setenv("GOFLAGS", os.Getenv("GOFLAGS"))
		os.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -tags=noquic")
		if bins, err = b.build("peers/libp2p/program", "client"); err != nil {
			return err
		}
		return b.size(figure+", without (`-tags noquic`)", host, bins["client"], 20)
	}
	return b.size(figure, host, bins["client"], 0)
}

func (b *bench) size(figure, host, file string, bar float64) error {
	st, err := os.Stat(file)
	if err != nil {
		return err
	}
	r := row{Figure: figure, Host: host, Value: float64(st.Size()) / 1e6, Unit: "MB"}
	if bar > 0 {
		r.Bound, r.Bar = "≤", bar
	}
	b.add(r)
	return nil
}
