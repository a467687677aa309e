import React, { useEffect, useState } from 'react';

interface Props {
  title: string;
  onSelect?: (id: string) => void;
}

const Dashboard: React.FC<Props> = ({ title, onSelect }) => {
  const [items, setItems] = useState<Item[]>([]);

  useEffect(() => {
    fetch('/api/items')
      .then((res) => res.json())
      .then((data) => setItems(data.items));
  }, []);

  return (
    <main className="dashboard">
      <h1>{title}</h1>
      {items.map((item) => (
        <li key={item.id} onClick={() => onSelect?.(item.id)}>{item.name}</li>
      ))}
    </main>
  );
};

export default Dashboard;
