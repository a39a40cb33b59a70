package shard

// byQuantity gives random shares, with sizes in proportions from a Dirichlet distribution.
func (d *division) byQuantity() ([][]int, error) {
	shares := make([][]int, d.peers)
	for rank, part := range d.proportions(d.Quantity) {
		shares[rank] = part.of(d.order)
	}
	return shares, nil
}
