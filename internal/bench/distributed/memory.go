package main

import "log"

// serverMemory measures the maximum memory of a server with ten clients, in models.
func (b *bench) serverMemory(host string) error {
	const clients, parameters, mib, rounds = 10, 100 << 18, 100, 2
	return b.run("program", federation(host, clients, parameters), func(f *fleet) error {
		times, err := f.rounds(rounds)
		if err != nil {
			return err
		}
		most, err := peak(f.Pid(0))
		if err != nil {
			return err
		}
		client, err := peak(f.Pid(1))
		if err != nil {
			return err
		}
		log.Printf("  memory of a client: %.0f MiB", client)
		// Two models, and the memory of a peer without a model.
		b.add(row{Figure: "memory of a server, 10 clients of 100 MiB", Host: host, Value: most, Unit: "MiB", Bound: "≤", Bar: 2*mib + 64, Others: "NVFlare 24 models, with its streaming"})
		b.add(timed("a round, 10 clients, 100 MiB", host, times, 0, ""))
		return nil
	})
}
