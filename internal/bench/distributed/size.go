package main

import "os"

// sizes measures the binaries of a client: static, stripped, with the pages for status, metrics and the
// profiler.
func (b *bench) sizes(host string) error {
	files, err := b.clients(host)
	if err != nil {
		return err
	}
	figure := "binary of a client without weights"
	switch host {
	case "tcp":
		return b.size(figure, host, files[0], 12)
	case "libp2p":
		if err := b.size(figure+", with QUIC", host, files[0], 24); err != nil {
			return err
		}
		return b.size(figure+", without (`-tags noquic`)", host, files[1], 20)
	}
	return b.size(figure, host, files[0], 0)
}

// clients returns the binaries of a client. For libp2p there is another one without QUIC.
func (b *bench) clients(host string) ([]string, error) {
	bins, err := b.binaries("program", host, "server", "client")
	if err != nil || host != "libp2p" {
		return []string{bins["client"]}, err
	}
	lean, err := b.build("peers/libp2p/program", "noquic", "client")
	return []string{bins["client"], lean["client"]}, err
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
