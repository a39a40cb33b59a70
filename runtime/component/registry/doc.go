// Package registry lets the peers of a program find each other. Peers of one class keep a list of live peers:
// others announce themselves repeatedly, each time for a limited time, and get the peers of the classes that
// they want.
//
// [Server] and [Client] are the two ends of one protocol; [View] chooses among the peers that a client knows:
//
//	func (r Registry) Body(g *dsl.Graph) { r.List.Serve(g, "here", "worker") }
//
//	func (w Worker) Body(g *dsl.Graph) {
//		w.Directory.Ask(g, "here", "registry", 30*time.Second)
//		g.NetOut("news", w.Others.Sample(g, 3), …)
//	}
//
// A peer can only announce itself: the sender and its class are those that the channel has proven and the
// registry has admitted, never the content of a message. A peer sends only its own addresses, and clients
// accept addresses of others only from peers of the registry's class. Addresses are not signed: a dialed peer
// has to prove its key, so that a wrong address only costs a dial, and received addresses never replace
// configured ones.
package registry
