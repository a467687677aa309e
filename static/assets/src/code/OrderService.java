package com.example.shop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds orders.
 *
 * @since 1.2
 */
public class OrderService implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(OrderService.class);

    private final Map<String, Order> orders = new HashMap<>();

    public Optional<Order> findById(String id) {
        if (id == null || id.isEmpty()) {
            throw new IllegalArgumentException("id must not be empty");
        }
        return Optional.ofNullable(orders.get(id));
    }

    @Override
    public void close() throws Exception {
        for (Order order : orders.values()) {
            System.out.println(order.getName());
        }
    }
}
